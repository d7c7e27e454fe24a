/** All subjects. Each is loaded only where it is needed: some bring TensorFlow's JavaScript with them. */
import type { Subject } from '../subject.js';

/** In this order for good: the random numbers of a subject depend on its place. */
const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  'token-files': async () => (await import('./token-files.js')).tokenFiles,
  'meta-pickle': async () => (await import('./meta-pickle.js')).metaPickle,
  torch: async () => (await import('./torch.js')).torch,
  safetensors: async () => (await import('./safetensors.js')).safetensors,
  parquet: async () => (await import('./parquet.js')).parquet,
  texts: async () => (await import('./texts.js')).texts,
  'json-files': async () => (await import('./json-files.js')).jsonFiles,
  'reward-metadata': async () => (await import('./reward-dataset.js')).rewardMetadata,
  'reward-targets': async () => (await import('./reward-dataset.js')).rewardTargets,
  'reward-tokens': async () => (await import('./reward-dataset.js')).rewardTokens,
  gguf: async () => (await import('./gguf.js')).gguf,
  'tokenizer-json': async () => (await import('./tokenizer-json.js')).tokenizerJson,
  documents: async () => (await import('./documents.js')).documents,
};

export const subjectNames: readonly string[] = Object.keys(subjects);

export async function loadSubject(name: string): Promise<{ readonly subject: Subject; readonly place: number }> {
  if (name === 'broken') return { subject: (await import('./broken.js')).broken, place: 0 };
  const load = subjects[name];
  if (load === undefined) throw new Error(`no subject ${name}`);
  return { subject: await load(), place: subjectNames.indexOf(name) };
}
