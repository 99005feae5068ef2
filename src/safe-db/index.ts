// A protected SQLite database. `import { SafeDatabaseClient } from 'pawl/safe-db'`.

export { EngineError } from '../base/error.ts';
export type { Comparison, SqlValue, WhereClause } from '../base/sql-condition.ts';
export {
  type BackupOptions,
  type BackupReason,
  type BackupRecord,
  backUp,
  listBackups,
} from './backup.ts';
export { type RunResult, SafeDatabaseClient, type SafeDatabaseOptions } from './client.ts';
export type { DeleteConfirmation } from './confirmation.ts';
export { databaseContext } from './context.ts';
export { differences, type TableDifference } from './difference.ts';
export type { Row, SqlParameters } from './guarded-connection.ts';
export type { DeletedRows } from './guards.ts';
export {
  type MigrateOptions,
  type MigrateResult,
  type MigrationFile,
  type MigrationStatus,
  migrate,
  migrationStatus,
} from './migrations.ts';
export { restoreBackup } from './restore.ts';
