// Handles requests to the GitHub of the tests about its webhooks and their deliveries.

import { apiError, type Handler } from './exchange.ts';
import type { StoredHook } from './state.ts';

/** The operations on webhooks. */
export const hookHandlers: Readonly<Record<string, Handler>> = {
  'repos/list-webhooks': ({ state, actor }) =>
    state.accounts.get(actor)?.permission === 'admin'
      ? {
          status: 200,
          data: state.hooks.map(({ id, active, events, ...hook }) => ({ id, name: 'web', active, events, config: configOf(hook) })),
        }
      : apiError(404, 'Not Found'),
  'repos/list-webhook-deliveries': ({ state, params }) => {
    const hook = state.hooks.find(({ id }) => id === Number(params.hook_id));
    return hook === undefined ? apiError(404, 'Not Found') : { status: 200, data: hook.deliveries.toReversed() };
  },
  'apps/get-webhook-config-for-app': ({ state }) => ({ status: 200, data: state.hooks.map(configOf)[0] ?? {} }),
  'apps/list-webhook-deliveries': ({ state }) => ({ status: 200, data: state.hooks[0]?.deliveries.toReversed() ?? [] }),
};

function configOf({ url, contentType }: Pick<StoredHook, 'url' | 'contentType'>): object {
  return { url, content_type: contentType, insecure_ssl: '0', secret: '********' };
}
