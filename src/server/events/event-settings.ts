// Owns a server's event settings: hooks, targets of notices, and how to fetch their secrets.

import type { Json, JsonObject } from '../../base/json.ts';
import { type Clock, systemClock } from '../../engine/clock.ts';
import type { Forge, ForgeEvent } from '../../forge/forge.ts';
import type { Groups } from '../../forge/people.ts';
import type { SurfaceSettings } from '../surface/surface-settings.ts';
import type { WebhookProject } from '../triggers/webhook-forwarding.ts';

/** What a delivery at `/hooks/<name>` does. Strings are templates that read `body`, `headers` and `delivery`. */
export interface HookSetting {
  /** The name of the secret that deliveries are signed with. */
  readonly secret: string;
  /** The workflow that a delivery starts, with its parameters. */
  readonly start?: string;
  readonly params?: JsonObject;
  /** The signal that a delivery sends, and to which run. */
  readonly signal?: { readonly run: string; readonly name: string; readonly payload?: Json };
  /** A condition: a delivery for which it is false does nothing. */
  readonly when?: string;
  /** Deliveries with the same key are debounced and counted together. Default: one key for the hook. */
  readonly key?: string;
  /** Waits until no delivery with the same key has arrived for this time; only the last one counts. */
  readonly debounceMs?: number;
  /** The maximum number of deliveries with the same key in a time. */
  readonly rate?: { readonly max: number; readonly perMs: number };
  /** How far the time of a delivery may be from ours. Default: 5 minutes. */
  readonly windowMs?: number;
}

/** The events that can cause a notice. */
export const NOTICE_EVENTS = ['waiting', 'failed', 'escalated', 'completed', 'rejected', 'cancelled', 'warning'] as const;

/** One of these events. `waiting`: a person must decide or answer. `warning`: a run is near one of its circuit breakers. */
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** The shapes of a webhook's body. */
export const NOTICE_SHAPES = ['json', 'slack', 'teams', 'discord'] as const;

/** Whom to notify, and how. */
export interface NotificationTarget {
  /** The URL of a webhook, or the name of the secret that holds it. */
  readonly webhook?: string | { readonly secret: string };
  readonly shape?: (typeof NOTICE_SHAPES)[number];
  /** A program that gets the notice as JSON on stdin. */
  readonly command?: readonly string[];
  /**
   * The only person who reads these notices: a notice of an approval contains a link with which this person decides. Whoever
   * reads the notice can use it.
   */
  readonly person?: string;
  /** Default: waiting, failed, escalated and warning. */
  readonly events?: readonly NoticeEvent[];
  /** Only runs of these workflows. Default: all. */
  readonly workflows?: readonly string[];
}

/** The forge whose events start workflows. */
export interface ForgeEventSettings {
  readonly forge: Forge;
  /** The name of the repository: events of different repositories start runs with different ids. */
  readonly repository?: string;
  /** The groups of people, by the settings. */
  readonly groups?: () => Groups;
  /** Called with every event, so that gates of the engine check again. */
  readonly onEvent?: (event: ForgeEvent) => void;
  /** The forks, by owner or as `owner/name`, whose pull requests start workflows like those of the repository. Default: none. */
  readonly forks?: readonly string[];
  /** What people see at the forge, and whether they can decide there. Default: nothing. */
  readonly surface?: SurfaceSettings;
  /** The webhooks of GitHub: the name of the secret that they are signed with, and the repository, as `owner/name`. */
  readonly webhook?: { readonly secret: string; readonly repository: string };
}

/** A server's event settings. */
export interface EventSettings {
  readonly hooks?: Readonly<Record<string, HookSetting>>;
  /** The forge whose events start workflows and wake gates. */
  readonly forge?: ForgeEventSettings;
  /** The other projects of this process whose webhooks also arrive at this address. */
  readonly webhookProjects?: () => readonly WebhookProject[];
  readonly notifications?: Readonly<Record<string, NotificationTarget>>;
  /** Fetches the value of a secret. */
  readonly secret?: (name: string) => Promise<string>;
  /** Private hosts to which requests are allowed. */
  readonly allow?: readonly string[];
  /** `public`: `/metrics` needs no login. */
  readonly metrics?: 'public';
  readonly clock?: Clock;
}

/** The clock of a server's events. */
export function clockOf({ clock = systemClock }: EventSettings): Clock {
  return clock;
}
