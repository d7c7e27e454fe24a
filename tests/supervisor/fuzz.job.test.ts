/** Anything at all may arrive on either side of the channel: nothing breaks, nothing is acted on, answers still come. */
import { fork } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromTrainerSchema, toTrainerSchema, type FromTrainer } from '../../shared/contract/trainer.js';
import { connect } from '../../main/supervisor/connection.js';
import { program, withoutTensorflow } from './project.js';

withoutTensorflow();

const names = [
  'hello',
  'run',
  'steer',
  'call',
  'cancel',
  'ping',
  'slept',
  'log',
  'pong',
  'answer',
  'event',
  'ended',
  'activity',
];
/** JSON values, many of them nearly messages. */
const almost = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      message: fc.oneof(fc.constantFrom(...names), fc.string()),
      request: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null)),
      steering: fc.oneof(fc.jsonValue(), fc.record({ action: fc.constantFrom('pause', 'stop', 'skip', 'boom') })),
      folder: fc.oneof(fc.string(), fc.integer()),
      given: fc.jsonValue(),
      job: fc.oneof(fc.constantFrom('describe', 'write'), fc.string()),
      input: fc.jsonValue(),
      event: fc.jsonValue(),
      outcome: fc.jsonValue(),
    },
    { requiredKeys: ['message'] },
  ),
);

describe('a trainer', () => {
  it('answers after anything that is no message', async () => {
    const junk = fc.sample(
      almost.filter((value) => !toTrainerSchema.safeParse(value).success),
      { numRuns: 3000, seed: 7 },
    );
    const trainer = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    try {
      const told: FromTrainer[] = [];
      const answered = new Promise<void>((done) => {
        trainer.on('message', (data) => {
          const message = fromTrainerSchema.parse(data);
          told.push(message);
          if (message.message === 'pong' && message.sent === 12345) done();
        });
      });
      for (const message of junk) trainer.send(message as never);
      trainer.send({ message: 'ping', sent: 12345 });
      await answered;
      // Nothing was done: those with a number were told so.
      expect(told.filter(({ message }) => !['hello', 'answer', 'pong'].includes(message))).toEqual([]);
      for (const message of told) if (message.message === 'answer') expect(message.fault?.code).toBe('bad_input');
      expect(trainer.exitCode).toBeNull();
    } finally {
      trainer.kill('SIGKILL');
    }
  });

  it('tells what cannot be done as a fault', async () => {
    const trainer = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    try {
      const answer = new Promise<FromTrainer>((done) =>
        trainer.on('message', (data) => {
          const message = fromTrainerSchema.parse(data);
          if (message.message === 'answer') done(message);
        }),
      );
      trainer.send({ message: 'steer', request: 9, steering: { action: 'skip' } });
      expect(await answer).toMatchObject({ request: 9, fault: { code: 'bad_input' } });
    } finally {
      trainer.kill('SIGKILL');
    }
  });
});

describe('a supervisor’s connection', () => {
  it('lets nothing through that is not of the contract, and loses no answer to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(almost, { maxLength: 30 }), async (junk) => {
        const told: unknown[] = [];
        let say: (data: unknown) => void = () => undefined;
        let request = 0;
        const connection = connect({
          start: () => ({
            pid: undefined,
            send: (message) => void ('request' in message && (request = message.request)),
            onMessage: (listener) => (say = listener),
            onEnd: () => undefined,
            kill: () => undefined,
          }),
          limits: { silence: 1000, longest: 1000 },
          monotonic: () => 0,
          onNotification: (message) => told.push(message),
          onEnd: () => undefined,
        });
        const asked = connection.ask({ message: 'steer', steering: { action: 'pause' } });
        for (const message of junk.filter((each) => !fromTrainerSchema.safeParse(each).success)) say(message);
        say({ message: 'answer', request, fault: null, value: 'yes' });
        expect(await asked).toBe('yes');
        expect(told).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('gives a fault to whoever waits when the process ends', async () => {
    let end: (how: string) => void = () => undefined;
    const connection = connect({
      start: () => ({
        pid: undefined,
        send: () => undefined,
        onMessage: () => undefined,
        onEnd: (listener) => (end = listener),
        kill: () => undefined,
      }),
      limits: { silence: 1000, longest: 1000 },
      monotonic: () => 0,
      onNotification: () => undefined,
      onEnd: () => undefined,
    });
    const asked = connection.ask({ message: 'steer', steering: { action: 'pause' } });
    end('SIGKILL');
    await expect(asked).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('SIGKILL') as string,
    });
    await expect(connection.ask({ message: 'steer', steering: { action: 'pause' } })).rejects.toMatchObject({
      code: 'internal',
    });
  });
});
