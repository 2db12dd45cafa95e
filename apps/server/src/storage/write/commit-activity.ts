/** Whether commits of this process are on their way. */
export class CommitActivity {
  isBusy = false
}
