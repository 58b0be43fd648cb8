! Whether an array would be allocated anew where a step ends is asked when the step begins. What an absent argument's descriptor
! says is not looked up; other bounds are allocated anew, as written.
! RUN: env HEXPASS_REPORT=%t.jsonl %hexflang -O2 %s -o %t.hex && env HEXPASS_DEVICE=cpu %t.hex > %t.out
! RUN: FileCheck %s < %t.jsonl
! CHECK: "function":"_QMgridsPtold"{{.*}}"message":"time loop taken one step a launch
! RUN: %plain-flang -O2 %s -o %t.plain && %t.plain > %t.expected && cmp %t.out %t.expected
! RUN: FileCheck %s --check-prefix=OUT < %t.out
! OUT: bounds 0 0
! OUT: absent 1
! OUT: kept 12
module grids
  implicit none
contains
  subroutine told(u, un, steps)
    real(8), allocatable, intent(inout) :: u(:, :), un(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      do j = 2, 49
        do i = 2, 59
          un(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))
        end do
      end do
      u = un
      if (mod(t, 10) == 0) print '(A, I0)', 'step ', t
    end do
  end subroutine told

  ! Ends in the middle of its first step where nothing is to be kept.
  subroutine kept(u, v, steps, last, done)
    real(8), allocatable, intent(inout) :: u(:), v(:)
    integer, intent(in) :: steps
    real(8), allocatable, optional, intent(inout) :: last(:)
    integer, intent(out) :: done
    integer :: i

    done = 0
    do while (done < steps)
      do i = 2, 199
        v(i) = 0.5d0*(u(i - 1) + u(i + 1))
      end do
      do i = 2, 199
        u(i) = v(i)
      end do
      done = done + 1
      if (.not. present(last)) exit
      last = v
      if (mod(done, 4) == 0) print '(A, I0)', 'done ', done
    end do
  end subroutine kept
end module grids

program main
  use grids
  implicit none
  real(8), allocatable :: u(:, :), un(:, :), x(:), y(:), z(:)
  integer :: done

  allocate (u(60, 50), un(60, 50))
  u = 0
  u(30, 25) = 40
  un = u
  call told(u, un, 40)
  print *, sum(u)
  deallocate (u)
  allocate (u(0:60, 0:50), source=0.0d0)
  u(30, 25) = 40
  deallocate (un)
  allocate (un(0:60, 0:50), source=u)
  call told(u, un, 12)
  print '(A, I0, X, I0)', 'bounds ', lbound(u)
  print *, sum(u)
  ! Other bounds, of the same shape: each assignment keeps those of u.
  deallocate (un)
  allocate (un(1:61, 1:51), source=0.0d0)
  call told(u, un, 12)
  print *, lbound(u), sum(u)
  deallocate (u)
  ! Of another shape: the first assignment allocates.
  allocate (u(70, 50), source=1.0d0)
  call told(u, un, 12)
  print *, shape(u), sum(u)
  allocate (x(200), source=1.0d0)
  x(100) = 3
  y = x
  call kept(x, y, 12, done=done)
  print '(A, I0)', 'absent ', done
  call kept(x, y, 12, z, done)
  print '(A, I0)', 'kept ', done
  print *, sum(x), sum(z), size(z)
end program main
