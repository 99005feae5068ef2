// Reads the text of a time log. Knows nothing of files.

/** A line that cannot be read, with its number. */
export class LineError extends Error {
  constructor(line, reason) {
    super(`line ${line}: ${reason}`);
    this.line = line;
  }
}

const DURATION = /^(?:(\d+)h(\d{2})?|(\d+)m)$/;

/** The minutes of a duration such as 45m, 2h or 1h30; undefined if it is none. */
export function minutesOf(text) {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, hours = '0', rest = '0', minutes = '0'] = match;
  return Number(hours) * 60 + Number(rest) + Number(minutes);
}

/** Whether a text is a date that exists, such as 2026-03-02. */
export function isDay(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The entries of a log. The first line that cannot be read ends it. */
export function parseLog(text) {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const [day, duration, project] = line.trim().split(/\s+/);
    if (!isDay(day)) throw new LineError(index + 1, `"${day}" is not a date`);
    const minutes = minutesOf(duration ?? '');
    if (minutes === undefined) throw new LineError(index + 1, `"${duration ?? ''}" is not a duration`);
    if (project === undefined) throw new LineError(index + 1, 'the project is missing');
    return [{ day, minutes, project: project.toLowerCase() }];
  });
}
