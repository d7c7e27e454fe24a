/** Who a process is among several: what flags and launchers say, and every way in which that may not fit. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../main/cli/arguments.js';
import { command as train } from '../../main/cli/commands/train.js';
import { mustBeAllowed, reachOf } from '../../main/cluster/addresses.js';
import { firstOfNodes, launchOf, type Variables } from '../../main/cluster/launch.js';
import { faultOf } from '../storage/fault-of.js';

const alone = {};
const from = (variables: Variables) => launchOf({}, variables);

describe('a launcher', () => {
  it('that says nothing, or that there is one, leaves the process alone', () => {
    expect(from({})).toBeNull();
    expect(from({ RANK: '0', WORLD_SIZE: '1' })).toBeNull();
    expect(from({ SLURM_PROCID: '0', SLURM_NTASKS: '4' })).toBeNull(); // the batch script itself
    expect(from({ JOB_COMPLETION_INDEX: '1' })).toBeNull();
  });

  it.each<[string, Variables, object]>([
    [
      'torchrun',
      { RANK: '1', WORLD_SIZE: '4', MASTER_ADDR: '10.0.0.5', MASTER_PORT: '29501' },
      { rank: 1, size: 4, meeting: { host: '10.0.0.5', port: 29501 }, members: null },
    ],
    [
      'torchrun whose agent has the port',
      { RANK: '0', WORLD_SIZE: '2', MASTER_ADDR: 'a', MASTER_PORT: '29500', TORCHELASTIC_USE_AGENT_STORE: 'True' },
      { meeting: { host: 'a', port: 29501 } },
    ],
    [
      'mpirun',
      { OMPI_COMM_WORLD_RANK: '2', OMPI_COMM_WORLD_SIZE: '3', OMPI_COMM_WORLD_LOCAL_SIZE: '3' },
      { rank: 2, size: 3, meeting: { host: '127.0.0.1', port: 29500 } },
    ],
    [
      'mpirun within Slurm',
      {
        OMPI_COMM_WORLD_RANK: '2',
        OMPI_COMM_WORLD_SIZE: '3',
        SLURM_PROCID: '0',
        SLURM_NTASKS: '1',
        SLURM_STEP_NODELIST: 'n1',
      },
      { rank: 2, size: 3 },
    ],
    [
      'Slurm',
      { SLURM_PROCID: '3', SLURM_NTASKS: '8', SLURM_STEP_NODELIST: 'node[03-05,9],gpu1' },
      { rank: 3, size: 8, meeting: { host: 'node03', port: 29500 } },
    ],
    [
      'Kubernetes',
      { JOB_COMPLETION_INDEX: '1', WORLD_SIZE: '2', MASTER_ADDR: 'verisim-0.verisim' },
      { rank: 1, size: 2, meeting: { host: 'verisim-0.verisim', port: 29500 } },
    ],
    [
      'SkyPilot',
      { SKYPILOT_NODE_RANK: '1', SKYPILOT_NUM_NODES: '2', SKYPILOT_NODE_IPS: '10.1.0.4\n10.1.0.5' },
      { rank: 1, size: 2, meeting: { host: '10.1.0.4', port: 29500 } },
    ],
    [
      'TF_CONFIG',
      { TF_CONFIG: '{"cluster":{"chief":["c:1"],"worker":["a:2","b:3"]},"task":{"type":"worker","index":"1"}}' },
      {
        rank: 2,
        size: 3,
        members: [
          { host: 'c', port: 1 },
          { host: 'a', port: 2 },
          { host: 'b', port: 3 },
        ],
      },
    ],
  ])('%s', (_name, variables, launch) => {
    expect(from(variables)).toMatchObject(launch);
  });

  it.each<[Variables, string]>([
    [{ RANK: 'x', WORLD_SIZE: '2' }, 'RANK is "x"'],
    [{ RANK: '2', WORLD_SIZE: '2' }, 'this is rank 2, and there are only 2 members (ranks 0 to 1)'],
    [{ OMPI_COMM_WORLD_RANK: '0' }, 'OMPI_COMM_WORLD_SIZE is not set'],
    [
      { OMPI_COMM_WORLD_RANK: '0', OMPI_COMM_WORLD_SIZE: '4', OMPI_COMM_WORLD_LOCAL_SIZE: '2' },
      'nothing says where rank 0 is',
    ],
    [{ RANK: '0', WORLD_SIZE: '5000' }, 'at most 1024'],
    [{ RANK: '0', WORLD_SIZE: '2', MASTER_PORT: '99999' }, 'MASTER_PORT is 99999'],
    [{ TF_CONFIG: '{' }, 'not JSON'],
    [{ TF_CONFIG: '{"cluster":{"ps":["a:1"]},"task":{"type":"ps","index":0}}' }, 'does not list workers'],
    [{ TF_CONFIG: '{"cluster":{"worker":["a:1","a:1"]},"task":{"type":"worker","index":0}}' }, 'names a:1 twice'],
  ])('that says %j is told what does not fit', (variables, message) => {
    expect(faultOf(() => from(variables))).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(message) as string,
    });
  });
});

const docs = resolve(import.meta.dirname, '../../docs');
const written = (name: string) => readFileSync(join(docs, 'clusters', name), 'utf8');

describe('the files of docs/clusters', () => {
  // By its lines: the API's own schema is asked by `npm run cluster -- --files`, which installs it.
  it('Kubernetes’ says as many ranks as it starts, and finds the first of them by its name', () => {
    const lines = written('kubernetes.yaml').replace(/ #.*/g, '');
    const all = (pattern: RegExp) => [...lines.matchAll(pattern)].map(([, value]) => value);
    const [service, job] = all(/^metadata:\n {2}name: (.*)$/gm);
    expect(all(/^kind: (.*)$/gm)).toEqual(['Service', 'Job']);
    expect(all(/^ *job-name: (.*)$/gm)).toEqual([job]);
    expect(all(/^ *subdomain: (.*)$/gm)).toEqual([service]);
    expect(all(/^ *clusterIP: (.*)$/gm)).toEqual(['None']);
    expect(all(/^ *completionMode: (.*)$/gm)).toEqual(['Indexed']);
    const variables = Object.fromEntries(
      [...lines.matchAll(/- name: (\w+)\n +value: '?([\w.-]+)'?$/gm)].map(([, name = '', value]) => [name, value]),
    );
    const [completions] = all(/^ *completions: (\d+)$/gm);
    expect(all(/^ *parallelism: (\d+)$/gm)).toEqual([completions]);
    expect(from({ ...variables, JOB_COMPLETION_INDEX: '1' })).toMatchObject({
      by: 'Kubernetes',
      rank: 1,
      size: Number(completions),
      meeting: { host: `${job}-0.${service}` },
    });
  });

  it.each(readdirSync(join(docs, 'clusters')))('%s gives flags that there are', (name) => {
    const flags = written(name).match(/--[a-z]+_[a-z_]+(=| )[\w./]+/g) ?? [];
    expect(flags.length).toBeGreaterThan(2);
    const { problems, values } = parseArguments(
      train,
      flags.flatMap((flag) => flag.split(/[= ]/)),
    );
    expect(problems).toEqual([]);
    expect(values).toMatchObject({ cluster_network: 'private' });
  });
});

describe('flags', () => {
  it('win over the environment', () => {
    const variables = { RANK: '3', WORLD_SIZE: '9' };
    expect(launchOf({ cluster: '127.0.0.1:4000, b.example:4001', rank: 1 }, variables)).toMatchObject({
      rank: 1,
      size: 2,
      meeting: { host: '127.0.0.1', port: 4000 },
      members: [{ port: 4000 }, { host: 'b.example', port: 4001 }],
    });
  });

  it.each([
    [{ rank: 1 }, '--rank is given without --cluster'],
    [{ cluster: 'a:1,b:2' }, 'which of its members'],
    [{ cluster: 'a:1,b', rank: 0 }, '"b" is not host:port'],
    [{ cluster: 'a:1,b:70000', rank: 0 }, '"b:70000" is not host:port'],
    [{ cluster: 'a:1,b:2', rank: 2 }, 'only 2 members'],
  ])('%j', (flags, message) => {
    expect(faultOf(() => launchOf(flags, alone))).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(message) as string,
    });
  });
});

it('reads the first host of Slurm’s lists', () => {
  expect(['n1', 'n[1-4]', 'a-[007,9]-x', 'gpu1,gpu2'].map(firstOfNodes)).toEqual(['n1', 'n1', 'a-007-x', 'gpu1']);
});

describe('addresses', () => {
  it('are of this machine, private, or public', () => {
    const reaches = [
      '127.0.0.1',
      '127.9.9.9',
      '10.0.0.1',
      '172.16.0.1',
      '172.32.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '8.8.8.8',
      '1.2.3',
      'x',
      '::1',
    ];
    expect(reaches.map(reachOf)).toEqual([
      'loopback',
      'loopback',
      'private',
      'private',
      'public',
      'private',
      'private',
      'public',
      'public',
      'public',
      'public',
    ]);
  });

  it('other than this machine’s want the person’s word and a key; public ones are refused whatever was said', () => {
    mustBeAllowed('127.0.0.1', 'loopback', false);
    mustBeAllowed('10.0.0.1', 'private', true);
    expect(faultOf(() => mustBeAllowed('10.0.0.1', 'loopback', true))).toMatchObject({
      hint: expect.stringContaining('--cluster_network private') as string,
    });
    expect(faultOf(() => mustBeAllowed('10.0.0.1', 'private', false))).toMatchObject({
      hint: expect.stringContaining('VERISIM_CLUSTER_KEY') as string,
    });
    expect(faultOf(() => mustBeAllowed('8.8.8.8', 'private', true))).toMatchObject({
      message: expect.stringContaining('public address') as string,
    });
  });
});
