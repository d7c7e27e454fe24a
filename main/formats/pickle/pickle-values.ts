/** Declares the values of a pickle and the list of names that a format allows; no name from a file is ever looked up. */
import type { UserError } from '../../../shared/errors.js';
import type { Message } from '../../../shared/messages/message.js';

export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PickleValue[]
  | Map<PickleValue, PickleValue>
  | PickleObject;

/** A value that only a format's rules create. */
export abstract class PickleObject {
  protected readonly isPickleObject = true;
}

/** A function or class on a format's list. */
export class PickleGlobal extends PickleObject {
  /** @param make returns the result of a call, or null for unacceptable arguments */
  constructor(
    readonly name: string,
    readonly make: (args: readonly PickleValue[]) => PickleValue | null = () => null,
  ) {
    super();
  }
}

/** An instance of a class as its fields; the class is only a name here. */
export class PickleRecord extends PickleObject {
  readonly fields = new Map<string, PickleValue>();

  constructor(readonly className: string) {
    super();
  }

  /** Takes the state of Python's BUILD: a dictionary, or, of a class with slots, the pair (None or a dictionary, a dictionary). */
  build(state: PickleValue): boolean {
    const parts = Array.isArray(state) && state.length === 2 ? state : [state];
    for (const part of parts) {
      if (part === null) continue;
      if (!(part instanceof Map)) return false;
      for (const [key, value] of part) {
        if (typeof key !== 'string') return false;
        this.fields.set(key, value);
      }
    }
    return true;
  }
}

/** Python's collections.OrderedDict; its attributes, such as PyTorch's `_metadata`, are ignored. */
export class OrderedDict extends Map<PickleValue, PickleValue> {}

/** Decides which names and references a format allows in its pickles. */
export interface PickleRules {
  /** Resolves a name; null refuses it. */
  global(module: string, name: string): PickleGlobal | null;
  /** Resolves a persistent id; null refuses it. */
  persistent(id: PickleValue): PickleValue | null;
  /** The error for a pickle that is not accepted. @param at the byte */
  refuse(why: Message, at: number): UserError;
}
