// The server: `import { createServer } from 'pawl/server'` mounts the API and the dashboard of an engine in a program.

export type { LoggedIn } from '../authority/right.ts';
export type { LoginScope } from '../authority/rights.ts';
export type { Caller, CallerScope } from './caller.ts';
export type * as EventTypes from './events/event-settings.ts';
export { createServer, type Listening, type ListenOptions, type PawlServer, type ServerOptions } from './server.ts';
