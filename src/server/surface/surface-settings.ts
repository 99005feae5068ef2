// Owns the settings of what a server shows at the forge, and which commands it accepts there.

/** What people see at the forge, and whether they can decide there. */
export interface SurfaceSettings {
  /** One comment per run. Without it commands are not accepted, since no one saw what they decide. */
  readonly comments: boolean;
  /** One check per gate, at the head of the pull request. */
  readonly checks: boolean;
  /** Whether commands in comments are accepted. */
  readonly commands: boolean;
  /** Whether the author of a pull request may approve in a comment. */
  readonly selfApproval: boolean;
  /** The people whose commands are accepted; they also need write permission. Default: everyone with it. */
  readonly mayCommand?: (login: string) => boolean;
  /** The people of a group, to ask them. */
  readonly membersOf?: (groups: readonly string[]) => readonly string[];
}
