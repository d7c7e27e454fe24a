/** Training loss and held-out loss: what every network that is trained has. */
import { strings } from '../../strings/index.js';
import type { Line } from './chart-options.js';

export const lossLines: readonly Line[] = [
  { name: 'loss', label: strings.project.base.train, colour: 'line1' },
  { name: 'val_loss', label: strings.project.base.heldOut, colour: 'line2', sparse: true },
];
