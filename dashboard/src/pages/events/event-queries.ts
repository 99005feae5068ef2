// Reads and changes automatic activity: schedules, deliveries and notices.

import { type UseMutationResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { pathOf, read, write } from '../../connection/api.ts';
import type { DeliveryList, NoticeList, OneDelivery, ScheduleList, ScheduleReport } from '../../connection/contract.ts';
import { useAction } from '../../connection/queries.ts';

/** One time of a schedule. */
export type Tick = ScheduleReport['ticks'][number];
/** A delivery to `/hooks`. */
export type Delivery = DeliveryList['deliveries'][number];

/** How often to read what happens without an event of a run, such as a delivery that matched nothing. */
const POLL_MS = 5_000;

type EventLists = Pick<ScheduleList, 'schedules'> & Pick<NoticeList, 'notices'>;

/** The schedules, or the notices. */
export function useEventList<K extends keyof EventLists>(name: K): UseQueryResult<EventLists[K]> {
  return useQuery({
    queryKey: [name],
    queryFn: async ({ signal }) => (await read<EventLists>(`/${name}`, signal))[name],
    refetchInterval: POLL_MS,
  });
}

/** The deliveries, newest first. */
export function useDeliveries(limit: number): UseQueryResult<DeliveryList> {
  return useQuery({
    queryKey: ['deliveries', limit],
    queryFn: ({ signal }) => read<DeliveryList>(`/deliveries?limit=${limit}`, signal),
    placeholderData: (before) => before,
    refetchInterval: POLL_MS,
  });
}

/** The body and headers of one delivery. */
export function useDeliveryContent(number: number, enabled: boolean): UseQueryResult<OneDelivery['delivery']> {
  return useQuery({
    queryKey: ['delivery', number],
    queryFn: async ({ signal }) => (await read<OneDelivery>(pathOf('deliveries', String(number)), signal)).delivery,
    enabled,
  });
}

/** A request that changes a schedule or a delivery. */
export interface EventAction {
  readonly of: 'schedules' | 'deliveries';
  readonly id: string;
  readonly verb: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly done: string;
}

/** Sends a request that changes a schedule or a delivery. */
export function useEventAction(): UseMutationResult<unknown, Error, EventAction> {
  return useAction(
    ({ of, id, verb, body }) => write(pathOf(of, id, verb), body ?? {}, { once: crypto.randomUUID() }),
    ({ of }) => [[of]],
  );
}
