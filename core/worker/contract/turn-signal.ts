/** How the parts below the loop ask it for a turn. It is all that they know of the loop. */
export interface TurnSignal {
  /** There is something to settle, start or renew. */
  requestTurn(): void;
  /** The same; and a group may have become claimable. */
  requestClaim(): void;
}
