// Owns why an agent that speaks the Agent Client Protocol brought no answer: the errors and stop reasons of the protocol
// in the classes of every driver.

import type { StopReason } from '@agentclientprotocol/sdk';
import { messageOf } from '../../base/error.ts';
import type { AgentFailure } from '../driver.ts';
import { AcpError, textAt } from './connection.ts';

/** Ends an attempt with a failure of a class. */
export class AcpFailure extends Error {
  readonly failure: AgentFailure;

  constructor(failure: AgentFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

const AUTH_REQUIRED = -32_000;
/** Kinds that agents name beside an error; what they call their own internal errors is too much and too little. */
const KINDS: Readonly<Record<string, AgentFailure>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  verification_required: 'auth',
  cloud_credential_error: 'auth',
  rate_limit: 'quota',
  billing_error: 'quota',
  account_on_hold: 'quota',
};

/** The failure behind whatever a conversation ended with. */
export function failureOf(thrown: unknown): AcpFailure {
  if (thrown instanceof AcpFailure) return thrown;
  if (!(thrown instanceof AcpError)) return new AcpFailure('crash', messageOf(thrown));
  if (thrown.code === AUTH_REQUIRED)
    return new AcpFailure('auth', `the agent wants a login: ${thrown.message}; log in with its own program`);
  const kind = textAt(thrown.data, 'errorKind') ?? '';
  const details = textAt(thrown.data, 'details');
  const message = details === undefined ? thrown.message : `${thrown.message}: ${details}`;
  return new AcpFailure(Object.hasOwn(KINDS, kind) ? (KINDS[kind] as AgentFailure) : 'crash', message);
}

/** What a turn that did not end by itself failed with; undefined when it did. */
export function stopFailure(reason: string | undefined): AcpFailure | undefined {
  switch (reason as StopReason | undefined) {
    case 'end_turn':
      return undefined;
    case 'refusal':
      return new AcpFailure('refused', 'the agent refuses to go on with this prompt');
    case 'max_tokens':
      return new AcpFailure('budget', 'the agent reached the most tokens that it may use in a turn');
    case 'max_turn_requests':
      return new AcpFailure('budget', 'the agent reached the most requests that it may make in a turn');
    default:
      return new AcpFailure('crash', `the agent stopped in the middle of its turn: ${reason ?? 'it did not say why'}`);
  }
}
