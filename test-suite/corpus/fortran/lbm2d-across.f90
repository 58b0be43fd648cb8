! Populations in pointers of a module, whose descriptors hold all strides, and loops in the order of other languages: the outer
! one goes along rows, the inner one from row to row, and neither from population to population.
module lattice
  implicit none
  double precision, pointer :: f(:, :, :), g(:, :, :), density(:, :)
contains
  subroutine relax(nx, ny)
    integer, intent(in) :: nx, ny
    integer :: i, j, k
    double precision :: all

    do i = 1, nx
      do j = 1, ny
        all = 0.0d0
        do k = 1, 5
          all = all + f(k, i, j)
        end do
        density(i, j) = all
      end do
    end do
    do i = 1, nx
      do j = 1, ny
        do k = 1, 5
          g(k, i, j) = 0.4d0*f(k, i, j) + 0.12d0*density(i, j)
        end do
      end do
    end do
  end subroutine relax

  subroutine stream(nx, ny)
    integer, intent(in) :: nx, ny
    integer :: i, j

    do i = 2, nx - 1
      do j = 2, ny - 1
        f(1, i, j) = g(1, i, j)
        f(2, i, j) = g(2, i - 1, j)
        f(3, i, j) = g(3, i + 1, j)
        f(4, i, j) = g(4, i, j - 1)
        f(5, i, j) = g(5, i, j + 1)
      end do
    end do
  end subroutine stream
end module lattice

program main
  use corpus
  use lattice
  implicit none
  integer :: nx, ny, nz, steps, n, m, t
  double precision, allocatable :: first(:), second(:), third(:)

  do while (next_case(nx, ny, nz, steps))
    n = max(nx, 0)
    m = max(ny, 0)
    call new_array(first, points(5*n, m, 1))
    call new_array(second, points(5*n, m, 1))
    call new_array(third, points(n, m, 1))
    allocate (f(5, n, m), g(5, n, m), density(n, m))
    f = reshape(first(1:size(f)), shape(f))
    g = reshape(second(1:size(g)), shape(g))
    density = reshape(third(1:size(density)), shape(density))
    do t = 1, steps
      call relax(n, m)
      call stream(n, m)
    end do
    first(1:size(f)) = reshape(f, [size(f)])
    second(1:size(g)) = reshape(g, [size(g)])
    third(1:size(density)) = reshape(density, [size(density)])
    deallocate (f, g, density)
    call dump('f', first)
    call dump('g', second)
    call dump('density', third)
    call end_case()
  end do
end program main
