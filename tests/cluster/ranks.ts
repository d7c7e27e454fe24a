/** Starts several ranks of the real program on this machine with torchrun’s variables. */
import { createServer, type AddressInfo } from 'node:net';
import { verisim, type Outcome, type RunOptions } from '../cli/program.js';

/** Finds a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type OfRank = (rank: number) => {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly onOutput?: RunOptions['onOutput'];
};

export async function ranks(size: number, of: OfRank): Promise<Outcome[]> {
  const port = await freePort();
  return Promise.all(
    Array.from({ length: size }, (_, rank) => {
      const { args, environment = {}, onOutput } = of(rank);
      const variables = { RANK: String(rank), WORLD_SIZE: String(size), MASTER_PORT: String(port), ...environment };
      return verisim(args, { environment: variables, ...(onOutput ? { onOutput } : {}) });
    }),
  );
}
