import type { OperationKind } from '../../../core/contract/admin.ts';
import { useInfo } from '../data/hooks.ts';

const NONE: readonly OperationKind[] = [];

/** The operations that the host allows; none until the answer arrives. */
export function useOperations(): readonly OperationKind[] {
  return useInfo()?.operations ?? NONE;
}
