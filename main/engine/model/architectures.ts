/** The table of architectures: another one is a file beside these and a line here (README.md). */
import type { ArchitectureName, GPTConfig } from '../../../shared/config/model.js';
import type { Architecture } from './architecture.js';
import { gpt2 } from './gpt2.js';
import { llama } from './llama.js';
import { modern } from './modern.js';

const architectures: Readonly<Record<ArchitectureName, Architecture>> = { gpt2, llama, modern };

/** A configuration that names none is GPT-2's. */
export const architectureOf = ({ architecture = 'gpt2' }: GPTConfig): Architecture => architectures[architecture];
