// The server: `import { createServer } from 'pawl/server'` mounts the API and the dashboard of an engine in a program.

export type { LoginIdentity } from '../authority/right.ts';
export type { LoginScope } from '../authority/rights.ts';
export type { Caller } from './caller.ts';
export type { EventSettings, ForgeEventSettings, HookSetting, NoticeEvent, NotificationTarget } from './events/event-settings.ts';
export { createServer, type ListenOptions, type PawlServer, type ServerAddress, type ServerOptions } from './server.ts';
export type { SurfaceSettings } from './surface/surface-settings.ts';
export type { WebhookProject } from './triggers/webhook-forwarding.ts';
