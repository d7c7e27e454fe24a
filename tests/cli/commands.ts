/** The commands of the terminal by name, for tests. */
import type { Command } from '../../main/cli/command.js';
import { commandNamed } from '../../main/cli/commands/index.js';

export function commandOf(name: string): Command {
  const command = commandNamed(name);
  if (command === null) throw new Error(`no command ${name}`);
  return command;
}
