/** The table of architectures: a second one is a file beside gpt2.ts and a line here (README.md). */
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Architecture } from './architecture.js';
import { gpt2 } from './gpt2.js';

const architectures = { gpt2 } satisfies Readonly<Record<string, Architecture>>;

/** A configuration that names none, as all did until now, is GPT-2's. */
type Configuration = GPTConfig & { readonly architecture?: keyof typeof architectures };

export const architectureOf = ({ architecture = 'gpt2' }: Configuration): Architecture => architectures[architecture];
