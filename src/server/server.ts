// Owns the public interface of the server: its options and methods. It names no type of another package.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Engine } from '../api/engine.ts';
import type { AnyWorkflow, EngineOptions } from '../api/engine-options.ts';
import type { Groups } from '../forge/people.ts';
import { openServer } from './app-server.ts';
import type { Caller } from './caller.ts';
import type { EventSettings } from './events/event-settings.ts';

/** Options of a server. */
export interface ServerOptions {
  /** The workflows that can be listed and started. */
  readonly workflows?: readonly AnyWorkflow[];
  /**
   * The database file of the engine, if it has one: the output of agents is next to it, and the server's own database
   * (sessions, people, tokens) is kept there as `<db>.server`. Without it these are in memory.
   */
  readonly db?: string;
  /**
   * Authenticates a request in place of the server's own login, for a program that has its own logins. Undefined means that
   * the request is anonymous.
   */
  readonly identify?: (request: Request) => Caller | undefined | Promise<Caller | undefined>;
  /** The address that people use, where it is not the one that the server listens on: `https://pawl.example.com`. */
  readonly publicUrl?: string;
  /** The addresses of a TLS proxy in front of the server, whose headers are trusted: `127.0.0.1`, `10.0.0.0/8`. */
  readonly trustedProxy?: readonly string[];
  /** The groups of people, as the engine has them. */
  readonly groups?: Groups | (() => Groups);
  /** The enrolled keys whose signatures count, as the engine has them: the state folder, or a function. */
  readonly identities?: EngineOptions['identities'];
  /** The folder of the dashboard's built files. Without it only the API is served. */
  readonly pages?: string;
  /** Hooks, notifications and their secrets. */
  readonly events?: EventSettings;
  /** The version to show. */
  readonly version?: string;
  /** Receives failures that no caller waits for. */
  readonly warn?: (error: unknown) => void;
  readonly now?: () => number;
}

/** Where a server listens. */
export interface ListenOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 7411; 0 for any free port. */
  readonly port?: number;
  /** The certificate and its key, as PEM. An address other than loopback needs them, or a trusted proxy. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** An address that a server listens on. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** The address that people open. */
  readonly url: string;
}

/** A server around an engine. */
export interface PawlServer extends AsyncDisposable {
  /** Handles one request; mount it at the root of your own app. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  listen(options?: ListenOptions): Promise<ServerAddress>;
  /**
   * A link with which a person logs in once, within 15 minutes. A name that is not known yet becomes a person who manages
   * the others. Anyone with the link can decide in that name.
   */
  loginLink(person: string): string;
  /** Stops listening and ends the streams. The engine is not closed. */
  close(): Promise<void>;
}

/** Creates a server around an engine. It listens when `listen` is called, or answers through `fetch`. */
export function createServer(engine: Engine, options: ServerOptions = {}): PawlServer {
  return openServer(engine, options);
}
