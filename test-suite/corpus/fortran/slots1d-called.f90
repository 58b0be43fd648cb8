! Two buffers that take turns by the step's number, handed to a procedure by sections that have names: what is its result
! in one step is what it reads in the next. The second of its sweeps is the processor's, and looks at the first one's.
module rod
  implicit none
  integer, parameter :: n = 150
  double precision :: heat(n, 0:1), mean(n, 0:1)
contains
  subroutine advance(now, next, before, after)
    double precision, intent(in) :: now(:), before(:)
    double precision, intent(inout) :: next(:), after(:)
    integer :: i

    do i = 2, n - 1
      next(i) = 0.5d0*now(i) + 0.25d0*(now(i - 1) + now(i + 1))
    end do
    do i = 2, n - 1
      after(i) = 0.5d0*before(i - 1) + 0.5d0*now(i)
    end do
  end subroutine advance

  subroutine run(steps)
    integer, intent(in) :: steps
    integer :: t

    do t = 0, steps - 1
      associate (now => heat(:, mod(t, 2)), next => heat(:, mod(t + 1, 2)), &
                 before => mean(:, mod(t, 2)), after => mean(:, mod(t + 1, 2)))
        call advance(now, next, before, after)
      end associate
    end do
  end subroutine run
end module rod

program main
  use corpus
  use rod
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, 2*n)
    call new_array(b, 2*n)
    heat = reshape(a(1:2*n), shape(heat))
    mean = reshape(b(1:2*n), shape(mean))
    call run(steps)
    a(1:2*n) = reshape(heat, [2*n])
    b(1:2*n) = reshape(mean, [2*n])
    call dump('heat', a)
    call dump('mean', b)
    call end_case()
  end do
end program main
