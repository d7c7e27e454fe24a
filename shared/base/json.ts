/** A text as JSON; undefined where it is none. For what is checked against a schema next. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
