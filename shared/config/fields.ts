/**
 * Describes a parameter's schema as plain data: kind, default, range. Flags, help, form fields, validation messages and the
 * reference in docs/ are derived from it.
 */
import { z } from 'zod';
import { hasCode } from '../messages/catalogue.js';
import { localized, type Message, type MessageCode } from '../messages/message.js';
import { parameterInfo } from './parameter.js';

/** `list`: texts, one or more; only commands have such. */
type FieldKind = 'whole' | 'real' | 'boolean' | 'choice' | 'text' | 'list';

export interface Field {
  /** The configuration key; also the flag. */
  readonly key: string;
  readonly kind: FieldKind;
  readonly label: MessageCode;
  readonly help: MessageCode;
  readonly advanced: boolean;
  readonly path: 'file' | 'folder' | null;
  /** Accepts "unset" (null), written `none` on the command line. */
  readonly nullable: boolean;
  /** Has no default and may not be left out. */
  readonly required: boolean;
  /** undefined when there is no default. */
  readonly default: string | number | boolean | null | undefined;
  readonly min: number | null;
  readonly max: number | null;
  /** `min` itself is not allowed. */
  readonly aboveMin: boolean;
  readonly options: readonly string[];
}

export type Shape = Readonly<Record<string, z.ZodType>>;

/** The part of JSON Schema that our parameters use. */
interface JsonSchema {
  readonly type?: string;
  readonly default?: string | number | boolean | null;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly anyOf?: readonly JsonSchema[];
}

function kindOf(schema: JsonSchema): FieldKind {
  if (schema.enum) return 'choice';
  if (schema.type === 'integer') return 'whole';
  if (schema.type === 'number') return 'real';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'array') return 'list';
  return 'text';
}

/** Throws if no text explains the parameter. */
export function describeField(key: string, schema: z.ZodType): Field {
  const info = parameterInfo(schema);
  const texts = info.option === undefined ? `setting.${key}` : `option.${info.option}`;
  const outer = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  const inner = outer.anyOf?.find((part) => part.type !== 'null') ?? outer;
  const bound = (limit: number | undefined, beyond: number) =>
    limit === undefined || Math.abs(limit) >= beyond ? null : limit;
  return {
    key,
    kind: kindOf(inner),
    label: codeOf(`${texts}.label`),
    help: codeOf(`${texts}.help`),
    advanced: info.advanced === true,
    path: info.path ?? null,
    nullable: outer.anyOf?.some((part) => part.type === 'null') ?? false,
    required: !schema.safeParse(undefined).success,
    default: outer.default,
    min: bound(inner.exclusiveMinimum ?? inner.minimum, Number.MAX_SAFE_INTEGER),
    max: bound(inner.maximum, Number.MAX_SAFE_INTEGER),
    aboveMin: inner.exclusiveMinimum !== undefined,
    options: inner.enum ?? info.of ?? [],
  };
}

function codeOf(code: string): MessageCode {
  if (!hasCode(code)) throw new Error(`no catalogue has ${code}`);
  return code;
}

export const describeShape = (shape: Shape): readonly Field[] =>
  Object.entries(shape).map(([key, schema]) => describeField(key, schema));

/** Describes the values of a field: "a whole number from 1 to 256", "text or binary", "a number above 0, at most 100, or none". */
export function acceptedValues(field: Field): Message {
  const values = valuesOf(field);
  return field.nullable ? localized('field.or_none', { values }) : values;
}

function valuesOf({ kind, path, options, ...range }: Field): Message {
  switch (kind) {
    case 'choice':
      return localized('field.choice', { others: options.slice(0, -1).join(', '), last: options.at(-1) });
    case 'boolean':
      return localized('field.boolean');
    case 'list':
      return localized('field.list', { path });
    case 'text':
      if (options.length > 0) return localized('field.some_of', { names: options.join(', ') });
      return localized('field.text', { path });
    case 'whole':
    case 'real':
      return localized('field.number', { kind, range: rangeOf(range) });
  }
}

function rangeOf({ min, max, aboveMin }: Pick<Field, 'min' | 'max' | 'aboveMin'>): Message | null {
  if (min === null) return max === null ? null : localized('field.range.most', { max });
  if (max === null) return localized(aboveMin ? 'field.range.above' : 'field.range.least', { min });
  return localized(aboveMin ? 'field.range.above_most' : 'field.range.from_to', { min, max });
}

/** A value as it is typed on the command line. */
export const typedValue = (value: unknown): string => String(value ?? 'none');
