/**
 * A message is a code with parameters: main sends it, and the surface that shows it formats it in the user's language.
 * The texts are ICU messages in resources/locales/*.json, one file a language; English has every code and types them.
 */
import { z } from 'zod';
import type english from '../../resources/locales/en.json';

export type MessageCode = keyof typeof english;

/** A parameter that is written with a unit in the user's locale. */
export type Quantity =
  | { readonly bytes: number }
  | { readonly seconds: number }
  /** A share of one, shown in percent with so many decimals. */
  | { readonly share: number; readonly decimals?: number | undefined }
  /** A measurement with so many significant digits. */
  | { readonly measure: number; readonly digits: number }
  /** A number of things, grouped even in a terminal: 99,833. */
  | { readonly count: number }
  /** A BCP 47 tag, shown by the language's name. */
  | { readonly language: string };

/** Plain numbers are values of settings: shown as typed in a terminal, grouped in the window. Lists are joined by `; `. */
export type MessageParameter = string | number | boolean | null | Quantity | Message | readonly (string | Message)[];

export type MessageParameters = Readonly<Record<string, MessageParameter | undefined>>;

export interface Message {
  readonly code: MessageCode;
  readonly params?: MessageParameters | undefined;
}

export const localized = (code: MessageCode, params?: MessageParameters): Message =>
  params === undefined ? { code } : { code, params };

/** Text that has no code: what another program or an earlier version wrote. */
export const verbatim = (text: string): Message => localized('text.verbatim', { text });

export const bytes = (value: number): Quantity => ({ bytes: value });
export const seconds = (value: number): Quantity => ({ seconds: value });
export const share = (value: number, decimals?: number): Quantity => ({ share: value, decimals });
export const measure = (value: number, digits = 3): Quantity => ({ measure: value, digits });
export const count = (value: number): Quantity => ({ count: value });
export const languageTag = (tag: string): Quantity => ({ language: tag });

const quantitySchema = z.union([
  z.strictObject({ bytes: z.number() }),
  z.strictObject({ seconds: z.number() }),
  z.strictObject({ share: z.number(), decimals: z.int().optional() }),
  z.strictObject({ measure: z.number(), digits: z.int() }),
  z.strictObject({ count: z.number() }),
  z.strictObject({ language: z.string() }),
]);

const codedSchema: z.ZodType<Message> = z.lazy(() =>
  z.object({
    // Codes of a newer version are shown as they are.
    code: z.string() as unknown as z.ZodType<MessageCode>,
    params: z.record(z.string(), parameterSchema.optional()).exactOptional(),
  }),
);

const parameterSchema: z.ZodType<MessageParameter> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    quantitySchema,
    codedSchema,
    z.array(z.union([z.string(), codedSchema])).readonly(),
  ]),
);

/** Records of versions before codes have plain English, which is shown as it is. */
export const messageSchema: z.ZodType<Message> = z.union([codedSchema, z.string().transform(verbatim)]);
