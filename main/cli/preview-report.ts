/** The preview of a text for people. Pure text from the results. */
import type { Preview } from '../engine/cycle/preview.js';
import type { Results } from '../jobs/types.js';
import type { Message } from '../../shared/messages/message.js';
import { t } from './language.js';
import type { Style } from './style.js';
import { inWords } from '../storage/disk/disk.js';
import { adviceMessage } from '../../shared/reports/cycle-advice.js';
import { counted } from '../../shared/base/numbers.js';
import { compact, duration, grouped, oneLine, WIDTH, wrap } from './words.js';

export function previewReport(results: Results, style: Style): string {
  const preview = results as unknown as Preview & { readonly input: Message; readonly reason: Message };
  const { exact, example, samples, disk, seconds, longest_repeat: repeat } = preview;
  const about = exact ? '' : 'about ';
  const rows: readonly (readonly [string, string])[] = [
    ['Text', `${about}${counted(preview.characters, 'character')} (${t(preview.input)})`],
    [
      'Tokens',
      `${about}${grouped(preview.tokens)}, ${compact(preview.tokens_per_character)} a character (${t(preview.reason)})`,
    ],
    ['Vocabulary', `${grouped(preview.vocab_size)}, of which ${grouped(preview.used_tokens)} were seen`],
    [
      'Repeats',
      `${compact(100 * preview.repeated_share)}% in long repeats; the longest has ${counted(repeat.characters, 'character')}`,
    ],
    ['Reward samples', `${about}${grouped(samples.train)} training, ${grouped(samples.val)} validation`],
    [
      'Disk',
      `${inWords(disk.tokens)} tokens, ${inWords(disk.reward_data)} reward data, ${inWords(disk.checkpoints)} checkpoints`,
    ],
    [
      'Time, about',
      `${time(seconds.prepare)} to prepare, ${time(seconds.base_training)} base training, ${time(seconds.reward_data)} reward data`,
    ],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const share = `${Math.round(100 * example.natural_share)}% natural`;
  const rest = example.generated ? 'written by the model' : 'the model will write this part anew';
  return [
    style.bold('How it begins'),
    ...preview.first_lines.map((line) => `  ${line}`),
    '',
    ...rows.map(([name, value]) => `${style.bold(name.padEnd(width))}  ${value}`),
    '',
    style.bold(`A sample (${share})`),
    wrap(`natural:   ${oneLine(example.natural)}`, WIDTH, '  '),
    wrap(`${rest}:   ${oneLine(example.rest)}`, WIDTH, '  '),
    ...(preview.advice ? ['', wrap(t(adviceMessage(preview.advice)), WIDTH)] : []),
    ...preview.warnings.flatMap(({ message }) => ['', style.warn(wrap(`! ${message}`, WIDTH))]),
    '',
  ].join('\n');
}

const time = (seconds: number | null): string =>
  seconds === null
    ? '-'
    : seconds < 1
      ? 'under a second'
      : seconds < 60
        ? `${Math.round(seconds)} s`
        : duration(seconds);
