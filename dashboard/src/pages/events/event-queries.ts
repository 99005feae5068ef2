// Owns reading and changing what happens by itself: schedules, deliveries and notices.

import { type UseMutationResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { pathOf, read, write } from '../../connection/api.ts';
import type { DeliveryList, NoticeList, OneDelivery, ScheduleReport } from '../../connection/contract.ts';
import { useAction } from '../../connection/queries.ts';

/** One time of a schedule. */
export type Tick = ScheduleReport['ticks'][number];
/** Something that was received at `/hooks`. */
export type Delivery = DeliveryList['deliveries'][number];
/** A message to people or programs. */
export type SentNotice = NoticeList['notices'][number];

/** What of this happens without an event of a run, such as a delivery that matched nothing, is looked for this often. */
const POLL_MS = 5_000;

/** A list of one of these things. */
export function useEventList<K extends 'schedules' | 'notices', T>(name: K): UseQueryResult<readonly T[]> {
  return useQuery({
    queryKey: [name],
    queryFn: async ({ signal }) => (await read<Readonly<Record<K, readonly T[]>>>(`/${name}`, signal))[name],
    refetchInterval: POLL_MS,
  });
}

/** What was received, newest first. */
export function useDeliveries(limit: number): UseQueryResult<DeliveryList> {
  return useQuery({
    queryKey: ['deliveries', limit],
    queryFn: ({ signal }) => read<DeliveryList>(`/deliveries?limit=${limit}`, signal),
    placeholderData: (before) => before,
    refetchInterval: POLL_MS,
  });
}

/** What one delivery carried. */
export function useDeliveryContent(number: number, enabled: boolean): UseQueryResult<OneDelivery['delivery']> {
  return useQuery({
    queryKey: ['delivery', number],
    queryFn: async ({ signal }) => (await read<OneDelivery>(pathOf('deliveries', String(number)), signal)).delivery,
    enabled,
  });
}

/** Something that is asked of a schedule or a delivery. */
export interface EventAction {
  readonly of: 'schedules' | 'deliveries';
  readonly id: string;
  readonly verb: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly done: string;
}

/** Asks something of a schedule or a delivery. */
export function useEventAction(): UseMutationResult<unknown, Error, EventAction> {
  return useAction(
    ({ of, id, verb, body }) => write(pathOf(of, id, verb), body ?? {}, { once: crypto.randomUUID() }),
    ({ of }) => [[of]],
  );
}
