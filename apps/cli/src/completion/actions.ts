import { CliError } from '../frame/cli-error.ts'
import type { Action, CommandGroup } from '../frame/command-spec.ts'
import { complete } from './complete.ts'
import { SHELLS, type Shell } from './scripts.ts'

export const completion: Action = async (session, input) => {
  const shell = input.arg(0)
  if (!isShell(shell))
    throw new CliError(`there is no completion for ${shell}`, {
      hints: ['Supported shells: bash, zsh, fish'],
    })
  await session.out.raw(SHELLS[shell].script)
  if (session.io.stdout.isTTY === true) await session.note(SHELLS[shell].install)
}

function isShell(text: string): text is Shell {
  return Object.hasOwn(SHELLS, text)
}

/** Called by the scripts. */
export const completeWords =
  (groups: () => readonly CommandGroup[]): Action =>
  async (session, input) => {
    const offers = await complete(groups(), input.args, session)
    await session.out.text(offers.map((offer) => `${offer}\n`).join(''))
  }
