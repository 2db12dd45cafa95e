/** Whether this process has commits in flight. */
export class CommitActivity {
  isBusy = false
}
