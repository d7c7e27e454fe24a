/** Sets the headers of every response: run only scripts from here, allow no frames, send no referrer. */

export const securityHeaders: Readonly<Record<string, string>> = {
  // For what is no page: nothing in it may run. A page brings its own policy.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()',
  'Cache-Control': 'no-store',
};
