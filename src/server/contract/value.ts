// Owns the small schemas that belong to every request and response of the API.

import * as z from 'zod';

/** The version of the shapes: that of `pawl … --json`. */
export const schemaVersion = z.literal(1);
/** A body without fields. */
export const emptyBody = z.strictObject({});
/** A signature over what was decided. */
export const signature = z.object({ key: z.string(), value: z.string(), at: z.number() });
