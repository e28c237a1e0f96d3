/** What the page shows and can do. Types only. */
export interface FolderIndexStatus {
  folder: string;
  phase: 'walking' | 'indexing' | 'paused' | 'done';
  /** Files that the walk found. */
  found: number;
  /** Files that have a row in the index. */
  indexed: number;
  /** Files whose last attempt failed: the queue's dead letters. */
  failed: number;
  /** Total size of the indexed files. */
  bytes: number;
  /** Average of the last few seconds. */
  filesPerSecond: number;
  /** Files that are being read; `since` in epoch milliseconds. */
  reading: readonly { path: string; since: number }[];
  paused: boolean;
}

export interface FolderIndexBridge {
  status(): Promise<FolderIndexStatus>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  openInspector(): Promise<void>;
  /** Calls the listener at most four times a second. Returns a function that removes it. */
  onStatus(listener: (status: FolderIndexStatus) => void): () => void;
}
