// Owns the contract of notifiers, as tests. The test file of a notifier calls the suite once, with a receiver that the
// suite can inspect.

import { describe, expect, test } from 'vitest';
import type { Notice, Notifier } from '../notify/notifier.ts';

/** A notifier and its receiver. */
export interface NotifierHarness {
  readonly notifier: Notifier;
  /** The notices that the receiver got, each as text. */
  received(): readonly string[];
  close(): Promise<void> | void;
}

/** How a receiver behaves: it accepts notifications, is unavailable, rejects temporarily or permanently, or never responds. */
export type ReceiverBehaviour = 'accepts' | 'unavailable' | 'busy' | 'rejects' | 'silent';

/** The notice that the suite sends. */
const NOTICE: Notice = {
  id: 'n1',
  event: 'waiting',
  run: '7kq2',
  workflow: 'release',
  title: 'release waits for a decision',
  text: 'Ship <it> & "go"; $(touch x) `y` --help',
  command: 'pawl decide 7kq2',
  at: '2026-01-01T00:00:00.000Z',
};

/** Tests that a notifier fulfils the contract of `Notifier`. Behaviours that it cannot have are skipped. */
export function describeNotifier(
  name: string,
  open: (behaviour: ReceiverBehaviour) => Promise<NotifierHarness>,
  behaviours: readonly ReceiverBehaviour[] = ['accepts', 'unavailable', 'busy', 'rejects', 'silent'],
): void {
  const has = (behaviour: ReceiverBehaviour): boolean => behaviours.includes(behaviour);
  const sending = async (behaviour: ReceiverBehaviour, use: (harness: NotifierHarness) => Promise<void>): Promise<void> => {
    const harness = await open(behaviour);
    try {
      await use(harness);
    } finally {
      await harness.close();
    }
  };
  const never = new AbortController().signal;

  describe(`notifier ${name}`, () => {
    test('NT1: a notification is sent once, with its title, its text and its link', async () => {
      await sending('accepts', async ({ notifier, received }) => {
        expect(await notifier.send(NOTICE, never)).toEqual({ kind: 'sent' });
        const [got = '', ...more] = received();
        expect(more).toEqual([]);
        for (const part of [NOTICE.title, 'touch x', NOTICE.command]) expect(got).toContain(part);
      });
    });

    test('the link of a notification is sent, if it has one', async () => {
      await sending('accepts', async ({ notifier, received }) => {
        await notifier.send({ ...NOTICE, link: 'https://pawl.example/runs/7kq2' }, never);
        expect(received()[0]).toContain('https://pawl.example/runs/7kq2');
      });
    });

    if (has('unavailable'))
      test('an unavailable receiver is reported, and the notification as not sent', async () => {
        await sending('unavailable', async ({ notifier }) => {
          expect(await notifier.send(NOTICE, never)).toMatchObject({ kind: 'failed', message: expect.stringMatching(/./) });
        });
      });

    if (has('busy'))
      test('NT1: a notification is sent once even if it is not accepted, and reported as one that can be retried', async () => {
        await sending('busy', async ({ notifier, received }) => {
          const outcome = await notifier.send(NOTICE, never);
          expect([outcome.kind, 'isFinal' in outcome]).toEqual(['failed', false]);
          expect(received()).toHaveLength(1);
        });
      });

    if (has('rejects'))
      test('a permanent rejection is reported as final', async () => {
        await sending('rejects', async ({ notifier }) => {
          expect(await notifier.send(NOTICE, never)).toMatchObject({ kind: 'failed', isFinal: true });
        });
      });

    if (has('silent'))
      test('NT1: a notification that is stopped while it waits for a response has an unknown result', async () => {
        await sending('silent', async ({ notifier, received }) => {
          const stop = new AbortController();
          const sent = notifier.send(NOTICE, stop.signal);
          await expect.poll(() => received().length).toBe(1);
          stop.abort();
          expect(await sent).toMatchObject({ kind: 'unknown', message: expect.stringMatching(/./) });
        });
      });
  });
}
