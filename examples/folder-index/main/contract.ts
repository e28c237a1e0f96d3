/** What the Folder Index window shows and may do: types only. */
export interface FolderIndexStatus {
  folder: string;
  phase: 'walking' | 'indexing' | 'paused' | 'done';
  /** Files that the walk has met. */
  found: number;
  /** Files with a row in the index. */
  indexed: number;
  /** Files given up on after the last attempt: the queue's dead letters. */
  failed: number;
  /** The indexed files' sizes together. */
  bytes: number;
  /** Over the last few seconds. */
  filesPerSecond: number;
  /** What is being read right now; `since` in epoch milliseconds. */
  reading: readonly { path: string; since: number }[];
  paused: boolean;
}

export interface FolderIndexBridge {
  status(): Promise<FolderIndexStatus>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  openInspector(): Promise<void>;
  /** At most four times a second. Returns what ends it. */
  onStatus(listener: (status: FolderIndexStatus) => void): () => void;
}
