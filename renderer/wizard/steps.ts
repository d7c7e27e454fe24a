/** Lists the wizard's pages and their settings: every setting is on exactly one page. Pure. */
import { isNamedAs } from '../../shared/config/file-kinds.js';
import {
  cycleShape,
  dataShape,
  readingShape,
  grpoShape,
  loggingShape,
  machineShape,
  modelShape,
  namedModels,
  scoringModelsShape,
  rewardDataShape,
  rewardModelShape,
  trainShape,
  tuneShape,
} from '../../shared/config/index.js';
import type { MessageCode } from '../../shared/messages/message.js';

/** The pages that every project needs; the others change what the plan has chosen. */
export const plainSteps = ['text', 'plan'] as const;
export const stepNames = [...plainSteps, 'begin', 'tokens', 'model', 'reward', 'grpo', 'review'] as const;
export type StepName = (typeof stepNames)[number];

/** The part of a code after `wizard.groups.`. */
export type GroupName = MessageCode extends infer Code
  ? Code extends `wizard.groups.${infer Name}`
    ? Name
    : never
  : never;
export interface FieldGroup {
  readonly title: GroupName;
  readonly fields: readonly string[];
}

/** Settings decided by the initial model. */
export const decidedByModel: readonly string[] = [
  ...['architecture', 'n_layer', 'n_head', 'n_embd'],
  ...['tokenization', 'meta_path', 'tokenizer_path', 'vocab'],
];
/** Settings that only apply to a pretrained model. */
export const tuneSettings: readonly string[] = Object.keys(tuneShape);

const tokenFields = ['tokenization', 'meta_path', 'vocab'];
const textFields = Object.keys(dataShape).filter((key) => !tokenFields.includes(key) && key !== 'train_split');
const networkFields = Object.keys(modelShape).filter((key) => !(key in rewardModelShape));
const rewardModelFields = Object.keys({ ...rewardModelShape, ...scoringModelsShape }).filter(
  (key) => !namedModels.includes(key),
);
const stoppingFields = ['grpo_max_steps', 'reward_threshold', 'kl_cap', 'grpo_patience'];

export const stepGroups: Readonly<Record<Exclude<StepName, 'plan' | 'review'>, readonly FieldGroup[]>> = {
  begin: [{ title: 'network', fields: namedModels }],
  text: [{ title: 'samples', fields: textFields }],
  tokens: [{ title: 'samples', fields: tokenFields }],
  model: [
    { title: 'tune', fields: tuneSettings },
    { title: 'network', fields: networkFields },
    { title: 'training', fields: Object.keys(trainShape) },
  ],
  reward: [
    {
      title: 'samples',
      fields: ['train_split', ...Object.keys(rewardDataShape)],
    },
    { title: 'generation', fields: Object.keys(readingShape) },
    { title: 'machine', fields: [...Object.keys(machineShape), ...Object.keys(loggingShape)] },
    { title: 'rewardModel', fields: rewardModelFields },
  ],
  grpo: [
    { title: 'grpo', fields: Object.keys(grpoShape).filter((key) => !stoppingFields.includes(key)) },
    { title: 'stopping', fields: [...stoppingFields, ...Object.keys(cycleShape)] },
  ],
};

/** Finds the page of a field; fields without a page belong to the review. */
export function stepOf(field: string | null): StepName {
  for (const step of stepNames) {
    if (step !== 'plan' && step !== 'review' && stepGroups[step].some(({ fields }) => fields.includes(field ?? '')))
      return step;
  }
  return 'review';
}

export const isStep = (name: unknown): name is StepName => stepNames.includes(name as StepName);

/** Finds the setting for a chosen or dropped file by its name. */
export function fieldForFile(name: string): 'data_path' | 'train_bin' | 'val_bin' | 'meta_path' {
  if (isNamedAs('meta', name)) return 'meta_path';
  if (isNamedAs('tokens', name)) return /val/i.test(name) ? 'val_bin' : 'train_bin';
  return 'data_path';
}
