/**
 * Payloads for a channel, made from its schema: some that fit, some that fit but for one place, some that are anything.
 * What is an identifier is often one that exists.
 */
import fc from 'fast-check';
import { z } from 'zod';

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
}

/** How many a channel gets; `npm run payloads` sends each a thousand. */
export const PAYLOADS = Number(process.env['VERISIM_PAYLOADS'] ?? 60);

/** Keys that main knows, so that records of settings are not always refused for their first key. */
export interface Known {
  readonly identifiers: () => readonly string[];
  readonly keys: readonly string[];
}

export function payloads(input: z.ZodType, known: Known): fc.Arbitrary<unknown> {
  const schema = z.toJSONSchema(input, { io: 'input' }) as JsonSchema;
  const fitting = fittingOf(schema, known);
  return fc.oneof(
    { weight: 5, arbitrary: fitting },
    {
      weight: 3,
      arbitrary: fc.tuple(fitting, fc.nat(), junk).map(([value, place, other]) => withOther(value, place, other)),
    },
    { weight: 2, arbitrary: junk },
  );
}

/** JSON of any form, keys that mean something to JavaScript included. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    'x'.repeat(5000),
    -1,
    1e308,
    [],
    {},
    JSON.parse('{"__proto__":{"id":"x"}}'),
  ),
  fc.dictionary(fc.constantFrom('id', 'constructor', 'toString', '__proto__', 'folder'), fc.jsonValue({ maxDepth: 1 })),
);

function fittingOf(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema) => fittingOf(part, known);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(inner));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object': {
      const { properties = {}, required = [], additionalProperties } = schema;
      const model = Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, inner(part)]));
      if (typeof additionalProperties === 'object' && Object.keys(model).length === 0) {
        return fc.dictionary(fc.constantFrom(...known.keys), inner(additionalProperties), { maxKeys: 6 });
      }
      return fc.record(model, { requiredKeys: [...required] });
    }
    case 'array':
      return fc.array(inner(schema.items ?? {}), { maxLength: Math.min(4, schema.maxItems ?? 4) });
    case 'string':
      return schema.pattern === undefined ? texts(schema, known) : identifiers(schema.pattern, known);
    case 'integer':
    case 'number': {
      const range = { min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 100_000, 100_000) };
      return schema.type === 'integer'
        ? fc.integer({ min: Math.max(range.min, -1000), max: range.max })
        : fc.double({ ...range, noNaN: true });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

const texts = ({ minLength = 0, maxLength = 40 }: JsonSchema, known: Known) =>
  fc.oneof(
    fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'binary' }),
    fc.nat().map((n) => chosen(known.identifiers(), n) ?? ''),
    fc.constantFrom('../../../etc/passwd', '/etc/passwd', 'C:\\Windows', 'base_model_v1', 'small'),
  );

function identifiers(pattern: string, known: Known): fc.Arbitrary<string> {
  const fits = new RegExp(pattern);
  const made = fc.stringMatching(fits);
  return fc.tuple(fc.nat(), fc.nat({ max: 9 }), made).map(
    ([n, often, other]) =>
      (often < 8
        ? chosen(
            known.identifiers().filter((id) => fits.test(id)),
            n,
          )
        : other) ?? other,
  );
}

const chosen = (from: readonly string[], n: number): string | undefined => from[n % Math.max(1, from.length)];

/** Something else in one place of a value. */
function withOther(value: unknown, place: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  const key = chosen(keys, place);
  if (key === undefined) return other;
  return {
    ...value,
    [key]: withOther((value as Record<string, unknown>)[key], Math.floor(place / keys.length), other),
  };
}
