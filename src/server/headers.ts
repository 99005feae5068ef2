// Owns the headers of every response: nothing may be embedded, sniffed or loaded from elsewhere, and responses of the API are
// not cached.

import type { MiddlewareHandler } from 'hono';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With no-referrer a browser sends "Origin: null" with a form, which the check of the origin has to refuse.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

/** Sets the headers of every response. A route may set its own `cache-control`, but none of the others. */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  // The response to HEAD has no body, so the stream must not stay open.
  if (c.req.method === 'HEAD') await c.res.body?.cancel();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};
