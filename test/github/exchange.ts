// Owns the request and the response that the server of the tests and its handlers exchange.

import type { Data } from './description.ts';
import type { GitHubState, Item } from './state.ts';

/** A request to a handler. */
export interface ApiRequest {
  readonly state: GitHubState;
  /** The login that the token stands for. */
  readonly actor: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Data;
}

/** A response; a list is cut into pages by the server. */
export interface ApiResponse {
  readonly status: number;
  readonly data?: unknown;
  /** The field that holds the list, where the response is not a list itself. */
  readonly listIn?: string;
}

/** Answers an operation. */
export type Handler = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

/** An error as GitHub words it. */
export function apiError(status: number, message: string, errors?: readonly Data[]): ApiResponse {
  return {
    status,
    data: {
      message,
      ...(errors === undefined ? {} : { errors }),
      documentation_url: 'https://docs.github.com/rest',
      status: String(status),
    },
  };
}

/** The item of a request, or the response that there is none. */
export function itemOf({ state, params }: ApiRequest): Item | undefined {
  return state.items.get(Number(params.issue_number ?? params.pull_number));
}
