// Owns the mapping of errors and stop reasons of the Agent Client Protocol to the failure classes of all drivers.

import type { StopReason } from '@agentclientprotocol/sdk';
import { messageOf } from '../../base/error.ts';
import type { AgentFailure } from '../driver.ts';
import { textAt } from '../json-message.ts';
import { AcpError } from './connection.ts';

/** Ends an attempt with a classified failure. */
export class AcpFailure extends Error {
  readonly failure: AgentFailure;

  constructor(failure: AgentFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

const AUTH_REQUIRED = -32_000;
/** The kinds that agents send with an error. The codes of their internal errors are not specific enough. */
const KINDS: Readonly<Record<string, AgentFailure>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  verification_required: 'auth',
  cloud_credential_error: 'auth',
  rate_limit: 'quota',
  billing_error: 'quota',
  account_on_hold: 'quota',
  overloaded: 'unavailable',
  overloaded_error: 'unavailable',
  server_error: 'unavailable',
  provider_error: 'unavailable',
  transport_lost: 'unavailable',
};

/** Messages about a missing or invalid login, of agents that send no error kind. */
const AUTH = /\b40[13]\b|unauthori[sz]ed|unauthenticated|invalid api key|api key not valid|not logged in/i;

/** Converts anything that a conversation threw into a failure. */
export function failureOf(thrown: unknown): AcpFailure {
  if (thrown instanceof AcpFailure) return thrown;
  if (!(thrown instanceof AcpError)) return new AcpFailure('crash', messageOf(thrown));
  if (thrown.code === AUTH_REQUIRED)
    return new AcpFailure('auth', `the agent requires a login: ${thrown.message}; log in with the agent's own program`);
  const kind = textAt(thrown.data, 'errorKind') ?? '';
  const details = textAt(thrown.data, 'details');
  const message = details === undefined ? thrown.message : `${thrown.message}: ${details}`;
  return new AcpFailure(Object.hasOwn(KINDS, kind) ? (KINDS[kind] as AgentFailure) : AUTH.test(message) ? 'auth' : 'crash', message);
}

/** Returns the failure of a turn that did not end normally, or undefined. */
export function stopFailure(reason: string | undefined): AcpFailure | undefined {
  switch (reason as StopReason | undefined) {
    case 'end_turn':
      return undefined;
    case 'refusal':
      return new AcpFailure('refused', 'the agent refused to continue with this prompt');
    case 'max_tokens':
      return new AcpFailure('budget', 'the agent reached its token limit for a turn');
    case 'max_turn_requests':
      return new AcpFailure('budget', 'the agent reached its request limit for a turn');
    default:
      return new AcpFailure('crash', `the agent stopped in the middle of its turn: ${reason ?? 'it gave no reason'}`);
  }
}
