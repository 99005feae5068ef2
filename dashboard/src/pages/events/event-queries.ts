// Owns reading and changing what happens by itself: schedules, deliveries and notices.

import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pathOf, read, write } from '../../connection/api.ts';
import type { DeliveryReport, NoticeList, OneDelivery, ScheduleReport } from '../../connection/contract.ts';
import { useNotice, wordsOf } from '../../parts/messages.tsx';

/** A workflow that starts by itself. */
export type Schedule = ScheduleReport;
/** One time of a schedule. */
export type Tick = Schedule['ticks'][number];
/** Something that was received at `/hooks`. */
export type Delivery = DeliveryReport;
/** A message to people or programs. */
export type SentNotice = NoticeList['notices'][number];

/** What of this happens without an event of a run, such as a delivery that matched nothing, is looked for this often. */
const LOOK_MS = 5_000;

/** A list of one of these things. */
export function useEventList<K extends 'schedules' | 'notices', T>(name: K): UseQueryResult<readonly T[]> {
  return useQuery({
    queryKey: [name],
    queryFn: async ({ signal }) => (await read<Readonly<Record<K, readonly T[]>>>(`/${name}`, signal))[name],
    refetchInterval: LOOK_MS,
  });
}

/** The last deliveries, and whether there are older ones. */
export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly next: string | null;
}

/** What was received, newest first. */
export function useDeliveries(limit: number): UseQueryResult<DeliveryPage> {
  return useQuery({
    queryKey: ['deliveries', limit],
    queryFn: ({ signal }) => read<DeliveryPage>(`/deliveries?limit=${limit}`, signal),
    placeholderData: (before) => before,
    refetchInterval: LOOK_MS,
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
  readonly said: string;
}

/** Asks something of a schedule or a delivery, and says how it went. */
export function useEventAction(): (action: EventAction) => void {
  const client = useQueryClient();
  const notice = useNotice();
  const { mutate } = useMutation({
    mutationFn: ({ of, id, verb, body }: EventAction) => write(pathOf(of, id, verb), body ?? {}, { once: crypto.randomUUID() }),
    onSuccess: (_answer, { said }) => notice('ok', said),
    onError: (error) => notice('bad', wordsOf(error)),
    onSettled: (_answer, _error, { of }) => void client.invalidateQueries({ queryKey: [of] }),
  });
  return mutate;
}
