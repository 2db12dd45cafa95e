/** Scripts that make shells call `latchkey __complete`. */

/** For each shell, how to install the script, and the script. */
export const SHELLS = {
  bash: {
    install: 'Add to ~/.bashrc: source <(latchkey completion bash)',
    script: `_latchkey() {
  local IFS=$'\\n'
  COMPREPLY=($(latchkey __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _latchkey latchkey
`,
  },
  zsh: {
    install: 'Add to ~/.zshrc, after compinit: source <(latchkey completion zsh)',
    script: `#compdef latchkey
_latchkey() {
  local -a offers
  offers=("\${(@f)$(latchkey __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$offers" ]]; then compadd -a offers; else _files; fi
}
compdef _latchkey latchkey
`,
  },
  fish: {
    install: 'Run: latchkey completion fish > ~/.config/fish/completions/latchkey.fish',
    script: `function __latchkey_complete
  set -l words (commandline -opc)
  latchkey __complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c latchkey -a '(__latchkey_complete)'
`,
  },
} as const

export type Shell = keyof typeof SHELLS
