/** One rank that does nothing but add up numbers with the others, again and again: `exchange.js NUMBERS TIMES f32|bf16 NETWORK`. */
import { dirname, join } from 'node:path';
import { joinTeam } from '../../main/cluster/join.js';
import { keyOf } from '../../main/cluster/key.js';
import { launchOf } from '../../main/cluster/launch.js';
import { leave } from '../../main/jobs/cluster/in-team.js';
import { loadRuntime } from '../../main/engine/runtime/native.js';
import { cacheFolder, findTensorflow } from '../../main/installation/locations.mjs';

const [numbers = '', times = '', sums = '', network = ''] = process.argv.slice(2);
const found = findTensorflow();
const launch = launchOf({}, process.env);
if (launch === null || found.bindingPath === null) throw new Error('no launch, or no TensorFlow');
await loadRuntime({
  ...found,
  threads: 1,
  device: 'cpu',
  compileCache: join(cacheFolder(), 'compiled'),
  precision: 'f32',
});
const team = await joinTeam({
  launch,
  network: network === 'private' ? 'private' : 'loopback',
  key: keyOf(process.env, join(cacheFolder(), 'cluster-key')),
  timeout: 300,
  halved: sums === 'bf16',
  every: 1,
  stop: { requested: false },
  collectivesPath: join(dirname(found.bindingPath), 'collectives.node'),
});
const own = new Float32Array(Number(numbers)).fill(launch.rank + 1);
const seconds: number[] = [];
/** Of the processor, which other work on the machine does not make longer. */
const computing: number[] = [];
for (let time = 0; time < Number(times); time += 1) {
  await team.agree();
  const [began, used] = [performance.now(), process.cpuUsage()];
  const { vector } = await team.sum(own, []);
  const { user, system } = process.cpuUsage(used);
  seconds.push((performance.now() - began) / 1000);
  computing.push((user + system) / 1e6);
  if (vector.at(-1) !== (launch.size * (launch.size + 1)) / 2) throw new Error(`the sum is ${vector.at(-1)}`);
}
console.log(JSON.stringify({ seconds, computing }));
await leave(team);
process.exit(0);
