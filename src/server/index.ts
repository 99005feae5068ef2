// The server: `import { createServer } from 'pawl/server'` mounts the API and the dashboard of an engine in a program.

export type { Caller, CallerScope } from './caller.ts';
export { createServer, type Listening, type ListenOptions, type PawlServer, type ServerOptions } from './server.ts';
