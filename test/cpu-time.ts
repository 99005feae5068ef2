// Owns the clock of tests about speed: the time this thread has had of a processor, which a busy machine does not stretch.

/** The processor time of this thread so far, in milliseconds. */
export function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
