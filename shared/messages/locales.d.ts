/** Every catalogue of resources/locales by its language, put together by the bundlers (scripts/setup/locales.mjs). */
declare module '#locales' {
  const locales: Readonly<Record<string, Readonly<Record<string, string>>>>;
  export default locales;
}
