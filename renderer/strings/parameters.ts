/** Settings of a project as a form shows them, in the language that is spoken: English stands with their schemas in shared/config. */
import { describeField, type Field } from '../../shared/config/fields.js';
import { projectShape } from '../../shared/config/index.js';
import { strings } from './index.js';

export const fieldOf = (key: keyof typeof projectShape): Field => ({
  ...describeField(key, projectShape[key]),
  ...strings.parameters?.[key],
});
