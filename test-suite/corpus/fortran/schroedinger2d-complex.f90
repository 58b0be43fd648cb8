! Complex numbers: an array expression for the sweep, loops for the copy back.
subroutine evolve(psi, next, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  complex(8), intent(inout) :: psi(n, m), next(n, m)
  complex(8), parameter :: i1 = (0d0, 1d0)
  integer :: t, i, j

  do t = 1, steps
    next(2:n - 1, 2:m - 1) = psi(2:n - 1, 2:m - 1) + i1*0.01d0*(psi(1:n - 2, 2:m - 1) + psi(3:n, 2:m - 1) &
                             + psi(2:n - 1, 1:m - 2) + psi(2:n - 1, 3:m) - 4*psi(2:n - 1, 2:m - 1))
    do j = 2, m - 1
      do i = 2, n - 1
        psi(i, j) = next(i, j)*(0.999d0, 0.01d0)
      end do
    end do
  end do
end subroutine evolve

program main
  use corpus
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable, target :: a(:), b(:)
  complex(8), pointer, contiguous :: psi(:, :), next(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, 2*points(nx, ny, 1))
    call new_array(b, 2*points(nx, ny, 1))
    call c_f_pointer(c_loc(a), psi, [nx, ny])
    call c_f_pointer(c_loc(b), next, [nx, ny])
    call evolve(psi, next, nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
