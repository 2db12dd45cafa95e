/** The tables of an archive, and why it lacks the others. A test compares them with the schema. */

/** Tables of an archive, in the order of their parts. */
export const ARCHIVED_TABLES = [
  'namespace',
  'policy',
  'role',
  'auth_method',
  'binding_rule',
  'token',
  'token_use',
  'kv',
  'intention',
  'intention_destination',
  'catalog_node',
  'catalog_service',
  'catalog_check',
  'catalog_coordinate',
  'catalog_service_index',
  'session',
  'system',
] as const

/** Every other table, with the reason for leaving it out. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  commit_index: 'The header has the index; a restore continues above it.',
  change: 'The log of changes to a store that a restore replaces: every reader begins again.',
  change_reader: 'Positions in that log.',
  member: 'The processes of the moment.',
  login_state: 'Logins in a browser, which live for minutes.',
  lock_delay: 'Delays of a minute at most.',
  lookup_key: 'A key: hashes are made again with that of the restored store.',
  schema_compatibility: 'Which servers can run on this schema.',
  sealing_key: 'The header has the samples; secrets are sealed again with the active key.',
}
