! Allocatable arrays that change places by move_alloc, as pointers that are swapped in memory.
! RUN: %flang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s

module grids
  implicit none
  double precision, allocatable :: spare(:)
  type :: field
    integer :: n
    double precision, allocatable :: at(:)
  end type field
contains
  subroutine swap(a, b)
    type(field), intent(inout) :: a, b
    double precision, allocatable :: kept(:)
    call move_alloc(a%at, kept)
    call move_alloc(b%at, a%at)
    call move_alloc(kept, b%at)
  end subroutine swap

  subroutine heat(u, v, steps)
    type(field), intent(inout) :: u, v
    integer, intent(in) :: steps
    integer :: t, i
    ! CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D, 1 statement
    do t = 1, steps
      do i = 2, u%n - 1
        v%at(i) = 0.5d0*(u%at(i - 1) + u%at(i + 1))
      end do
      call swap(u, v)
    end do
  end subroutine heat

  ! Three of them, and one that outlives the step, of which each step asks whether it is allocated.
  subroutine wave(last, now, next, steps)
    double precision, allocatable, intent(inout) :: last(:), now(:), next(:)
    integer, intent(in) :: steps
    integer :: t, i
    ! CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D, 1 statement
    do t = 1, steps
      do i = 2, size(now) - 1
        next(i) = now(i - 1) + now(i + 1) - last(i)
      end do
      call move_alloc(last, spare)
      call move_alloc(now, last)
      call move_alloc(next, now)
      call move_alloc(spare, next)
    end do
  end subroutine wave

  ! One that is local to the subroutine, whose descriptor says what it is where the subroutine begins.
  subroutine steps_of(u, v, steps)
    double precision, allocatable, intent(inout) :: u(:), v(:)
    integer, intent(in) :: steps
    double precision, allocatable :: kept(:)
    integer :: t, i
    ! CHECK: [[@LINE+1]]:5: remark: time loop tiled {{.*}}: 1-D, 1 statement
    do t = 1, steps
      do i = 2, size(u) - 1
        v(i) = 0.5d0*(u(i - 1) + u(i + 1))
      end do
      call move_alloc(u, kept)
      call move_alloc(v, u)
      call move_alloc(kept, v)
    end do
  end subroutine steps_of
end module grids
