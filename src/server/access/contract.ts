// Owns the schemas of access in the API.

import * as z from 'zod';
import { LOGIN_SCOPES } from '../../authority/rights.ts';
import { time } from '../../control/schema/value.ts';
import { schemaVersion } from '../contract/value.ts';
import { isDuration } from './lifetimes.ts';

const scopes = z.array(z.enum(LOGIN_SCOPES));
const duration = z.string().max(20).refine(isDuration, 'must be a duration such as 12h or 90d, of at most a year').optional();
const name = z.string().min(1).max(64);
/** The response of an authenticator; the library validates the rest. */
const response = z.looseObject({ id: z.string().max(2000), response: z.looseObject({ clientDataJSON: z.string().max(10_000) }) });

const person = z.object({
  name,
  scopes,
  manages: z.boolean(),
  groups: z.array(z.string()),
  invitedBy: z.string(),
  createdAt: time,
  revokedAt: time.nullable(),
});
const token = z.object({
  id: z.string(),
  person: name,
  name: z.string(),
  scopes,
  createdAt: time,
  usedAt: time.nullable(),
  expiresAt: time,
  isExpired: z.boolean(),
});
const session = z.object({
  id: z.string(),
  person: name,
  via: z.enum(['link', 'passkey']),
  address: z.string(),
  agent: z.string(),
  isMine: z.boolean(),
  createdAt: time,
  usedAt: time,
  expiresAt: time,
});
const passkey = z.object({
  id: z.string(),
  person: name,
  title: z.string(),
  isEnrolled: z.boolean().meta({ description: 'whether it counts for signed decisions' }),
  publicKey: z.string().meta({ description: 'the line to pass to "pawl identity enrol"' }),
  createdAt: time,
  usedAt: time.nullable(),
});
const link = z.object({ schemaVersion, person: name, url: z.string(), expiresAt: time });

/** The schemas of responses. */
export const answers = {
  people: z.object({ schemaVersion, people: z.array(person) }),
  person: z.object({ schemaVersion, person, link: link.omit({ schemaVersion: true }).optional() }),
  groups: z.object({ schemaVersion, groups: z.array(z.object({ name: z.string(), people: z.array(z.string()) })) }),
  tokens: z.object({ schemaVersion, tokens: z.array(token) }),
  token: z.object({ schemaVersion, token, secret: z.string().meta({ description: 'shown once' }) }),
  sessions: z.object({ schemaVersion, sessions: z.array(session) }),
  passkeys: z.object({ schemaVersion, passkeys: z.array(passkey) }),
  passkey: z.object({ schemaVersion, passkey }),
  options: z.object({ schemaVersion, options: z.record(z.string(), z.unknown()).meta({ description: 'for navigator.credentials' }) }),
  signature: z.object({ schemaVersion, signature: z.object({ key: z.string(), at: z.number(), value: z.string() }) }),
  link,
  revoked: z.object({ schemaVersion, revoked: z.string() }),
  audit: z.object({
    schemaVersion,
    entries: z.array(
      z.object({
        id: z.number(),
        at: time,
        person: z.string().nullable(),
        via: z.string(),
        action: z.string(),
        about: z.string(),
        run: z.string().nullable(),
        step: z.string().nullable().meta({ description: 'the step, the approval or the assumption that it was about' }),
        choice: z.string().nullable().meta({ description: 'an option, how to resume, the name of a signal, the id of a fork' }),
        address: z.string(),
        outcome: z.string(),
      }),
    ),
    next: z.string().nullable(),
  }),
} as const;

/** The schemas of request bodies. */
export const bodies = {
  invite: z.strictObject({ name, scopes: scopes.optional(), manages: z.boolean().default(false), expires: duration }),
  loginLink: z.strictObject({ expires: duration }),
  token: z.strictObject({ name: z.string().min(1).max(64), scopes: scopes.optional(), expires: duration }),
  passkey: z.strictObject({ response, title: z.string().max(100).default('') }),
  passkeyLogin: z.strictObject({ response }),
  toSign: z.strictObject({
    run: z.string().min(1).max(200),
    approval: z.string().max(500).optional(),
    digest: z.string().min(12).max(64),
    option: z.string().min(1).max(1000),
    input: z.string().max(100_000).optional(),
  }),
  decideLink: z.strictObject({
    run: z.string().min(1).max(200),
    approval: z.string().max(500).optional(),
    for: name,
    expires: duration,
  }),
  toSignByLink: z.strictObject({ digest: z.string().max(64), option: z.string().min(1).max(1000), input: z.string().max(100_000) }),
} as const;

/** The schemas of queries. */
export const queries = {
  audit: z.object({
    person: name.optional(),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  }),
} as const;
