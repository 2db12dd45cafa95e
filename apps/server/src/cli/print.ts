/** Prints texts of commands, which may quote servers, archives and lists, without control characters. */
import { visible } from '@latchkey/contract'

export function print(text: string): void {
  process.stdout.write(visible(text))
}

export function complain(text: string): void {
  process.stderr.write(visible(text))
}
