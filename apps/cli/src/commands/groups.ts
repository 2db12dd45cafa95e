/** All commands, in the order of help and documentation. */
import type { CommandGroup } from '../frame/command-spec.ts'
import { ACCOUNT_COMMANDS } from './account.ts'
import { CATALOG_COMMANDS } from './catalog.ts'
import { FOLDER_COMMANDS } from './folder-commands.ts'
import { INSIGHT_COMMANDS } from './insight-commands.ts'
import { KV_COMMANDS } from './kv-commands.ts'
import { RECORD_COMMANDS } from './record-commands.ts'
import { serverCommands } from './server-commands.ts'

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  ACCOUNT_COMMANDS,
  RECORD_COMMANDS,
  INSIGHT_COMMANDS,
  FOLDER_COMMANDS,
  KV_COMMANDS,
  CATALOG_COMMANDS,
  serverCommands(() => COMMAND_GROUPS),
]
