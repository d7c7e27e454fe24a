/**
 * What a model on the Hugging Face hub is called here: `owner/name`, then `@revision` for another than the newest, then
 * `/file.gguf` for a repository of GGUF files. A path that exists is a path, whatever it looks like.
 */

export interface HubName {
  /** `owner/name`, as the hub has it. */
  readonly repository: string;
  /** A branch, a tag or a commit; null for the newest. */
  readonly revision: string | null;
  /** The one GGUF file that is meant; null for a repository of safetensors. */
  readonly file: string | null;
}

/** A step of a name: what the hub allows, and what is safe as a part of a file's name. */
const step = '[A-Za-z0-9][A-Za-z0-9._-]{0,95}';
const pattern = new RegExp(`^(${step}/${step})(?:@(${step}))?((?:/${step})*/${step}\\.gguf)?$`, 'i');

/** Null where it cannot be one: more or fewer steps, a step that begins with a dot, an ending that files of models have. */
export function parseHubName(text: string): HubName | null {
  const [, repository, revision, file] = pattern.exec(text) ?? [];
  if (repository === undefined || text.includes('..') || text.includes('--')) return null;
  if (file === undefined && /\.(gguf|pt|pth|safetensors|json)$/i.test(text)) return null;
  return { repository, revision: revision ?? null, file: file?.slice(1) ?? null };
}

export const writtenHubName = ({ repository, revision, file }: HubName): string =>
  `${repository}${revision === null ? '' : `@${revision}`}${file === null ? '' : `/${file}`}`;
