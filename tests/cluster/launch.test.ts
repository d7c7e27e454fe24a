/** Rank, size and meeting place from flags and launchers' variables; the addresses that are allowed; the files of docs/clusters. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parseArguments } from '../../main/cli/arguments.js';
import { train } from '../../main/cli/commands/training.js';
import { mustBeAllowed, reachOf } from '../../main/cluster/addresses.js';
import { firstOfNodes, launchOf, type Variables } from '../../main/cluster/launch.js';
import { faultOf } from '../storage/fault-of.js';

const from = (variables: Variables) => launchOf({}, variables);

it('leaves a process alone without a launcher, or with a single rank', () => {
  expect(from({})).toBeNull();
  expect(from({ RANK: '0', WORLD_SIZE: '1' })).toBeNull();
  expect(from({ SLURM_PROCID: '0', SLURM_NTASKS: '4' })).toBeNull(); // the batch script itself
});

const agent = { MASTER_ADDR: 'a', MASTER_PORT: '29500', TORCHELASTIC_USE_AGENT_STORE: 'True' };

it.each<[string, Variables, object]>([
  [
    'torchrun',
    { RANK: '1', WORLD_SIZE: '4', MASTER_ADDR: '10.0.0.5', MASTER_PORT: '29501' },
    { rank: 1, size: 4, meeting: { host: '10.0.0.5', port: 29501 }, members: null },
  ],
  ['torchrun’s agent', { RANK: '0', WORLD_SIZE: '2', ...agent }, { meeting: { host: 'a', port: 29501 } }],
  [
    'Slurm',
    { SLURM_PROCID: '3', SLURM_NTASKS: '8', SLURM_STEP_NODELIST: 'node[03-05,9],gpu1' },
    { rank: 3, size: 8, meeting: { host: 'node03', port: 29500 } },
  ],
])('reads the variables of %s', (_name, variables, launch) => {
  expect(from(variables)).toMatchObject(launch);
});

it('reads the first host of Slurm’s lists', () => {
  const lists = ['n1', 'n[1-4]', 'a-[007,9]-x', 'gpu1,gpu2'];
  expect(lists.map((list) => firstOfNodes(list))).toEqual(['n1', 'n1', 'a-007-x', 'gpu1']);
});

it('prefers flags to variables', () => {
  const variables = { RANK: '3', WORLD_SIZE: '9' };
  expect(launchOf({ cluster: '127.0.0.1:4000, b.example:4001', rank: 1 }, variables)).toMatchObject({
    ...{ rank: 1, size: 2, meeting: { host: '127.0.0.1', port: 4000 } },
    members: [{ port: 4000 }, { host: 'b.example', port: 4001 }],
  });
});

it.each<[object, Variables, string]>([
  [{}, { RANK: 'x', WORLD_SIZE: '2' }, 'RANK is "x"'],
  [{}, { RANK: '2', WORLD_SIZE: '2' }, 'this is rank 2, and there are only 2 members (ranks 0 to 1)'],
  [{}, { RANK: '0', WORLD_SIZE: '5000' }, 'at most 1024'],
  [{}, { RANK: '0', WORLD_SIZE: '2', MASTER_PORT: '99999' }, 'MASTER_PORT is 99999'],
  [{}, { SLURM_PROCID: '0', SLURM_STEP_NODELIST: 'n1' }, 'SLURM_NTASKS is not set'],
  [{ rank: 1 }, {}, '--rank is given without --cluster'],
  [{ cluster: 'a:1,b:2' }, {}, '--cluster is given without --rank'],
  [{ cluster: 'a:1,b', rank: 0 }, {}, '"b" is not host:port'],
  [{ cluster: 'a:1,b:70000', rank: 0 }, {}, '"b:70000" is not host:port'],
  [{ cluster: 'a:1,b:2', rank: 2 }, {}, 'only 2 members'],
  [{ cluster: 'a:1,a:1', rank: 0 }, {}, 'names a:1 twice'],
])('names what is wrong with %j and %j', (flags, variables, message) => {
  const expected = { code: 'bad_input', message: expect.stringContaining(message) as string };
  expect(faultOf(() => launchOf(flags, variables))).toMatchObject(expected);
});

it('allows loopback, private addresses of a trusted network, and never public ones', () => {
  const addresses = {
    loopback: ['127.0.0.1', '127.9.9.9'],
    private: ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.0.1'],
    public: ['172.32.0.1', '8.8.8.8', '1.2.3', 'x', '::1'],
  };
  for (const [reach, all] of Object.entries(addresses)) expect(all.map(reachOf)).toEqual(all.map(() => reach));
  mustBeAllowed('127.0.0.1', 'loopback');
  mustBeAllowed('10.0.0.1', 'trusted');
  expect(faultOf(() => mustBeAllowed('10.0.0.1', 'loopback'))).toMatchObject({ field: 'cluster_network' });
  expect(faultOf(() => mustBeAllowed('8.8.8.8', 'trusted'))).toMatchObject({ field: 'cluster' });
});

const docs = resolve(import.meta.dirname, '../../docs/clusters');
const fileOf = (name: string) => readFileSync(join(docs, name), 'utf8');

it.each(['slurm.sh', 'kubernetes.yaml'])('docs/clusters/%s has flags that exist', (name) => {
  const flags = fileOf(name).match(/--[a-z]+_[a-z_]+(=| )[\w./]+/g) ?? [];
  expect(flags.length).toBeGreaterThan(2);
  const { problems, values } = parseArguments(
    train,
    flags.flatMap((flag) => flag.split(/[= ]/)),
  );
  expect(problems).toEqual([]);
  expect(values).toMatchObject({ cluster_network: 'trusted' });
});

it('docs/clusters/kubernetes.yaml starts as many ranks as it names, and they meet at the first', () => {
  const lines = fileOf('kubernetes.yaml').replace(/ #.*/g, '');
  const all = (pattern: RegExp) => [...lines.matchAll(pattern)].map(([, value]) => value);
  const [service, job] = all(/^metadata:\n {2}name: (.*)$/gm);
  expect([all(/^ *job-name: (.*)$/gm), all(/^ *subdomain: (.*)$/gm)]).toEqual([[job], [service]]);
  expect(lines).toMatch(/name: RANK\n.*\n.*\n +fieldPath: .*'batch.kubernetes.io\/job-completion-index'\]/);
  expect(all(/^ *(?:completions|parallelism): (\d+)$/gm)).toEqual(['2', '2']);
  expect(all(/name: (?:WORLD_SIZE|MASTER_ADDR)\n +value: '?([\w.-]+)'?$/gm)).toEqual(['2', `${job}-0.${service}`]);
});
