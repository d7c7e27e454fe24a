/** The table of architectures (README.md describes how to add one). */
import type { ArchitectureName, GPTConfig } from '../../../shared/config/model.js';
import type { Architecture } from './architecture.js';
import { gpt2 } from './gpt2.js';
import { llama } from './llama.js';
import { modern } from './modern.js';

const architectures: Readonly<Record<ArchitectureName, Architecture>> = { gpt2, llama, modern };

export const architectureOf = ({ architecture = 'gpt2' }: GPTConfig): Architecture => architectures[architecture];
